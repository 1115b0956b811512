export function makePlugin() {
  return { name: 'mine', apply() {} };
}
