/** The file beside this one in src, and beside the bundle in dist: that is why this module is not in a folder. */
export const workerUrl = new URL('./worker.js', import.meta.url);
