const pages = ["index.html", "maplibre.html", "own-chat.html"];

export default {
  build: { rollupOptions: { input: pages.map((page) => new URL(page, import.meta.url).pathname) } },
  worker: { format: "es" },
};
