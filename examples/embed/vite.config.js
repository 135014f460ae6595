export default { build: { rollupOptions: { input: ["index.html"].map((page) => new URL(page, import.meta.url).pathname) } } };
