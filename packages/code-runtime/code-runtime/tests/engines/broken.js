export function createEngine() {
  throw new Error('/secret/path of the host');
}
