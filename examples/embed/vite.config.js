export default { build: { rollupOptions: { input: ["index.html", "maplibre.html", "own-chat.html"].map((page) => new URL(page, import.meta.url).pathname) } } };
