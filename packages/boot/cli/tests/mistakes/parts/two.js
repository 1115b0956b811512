export const first = { name: 'first', apply() {} };
export const second = { name: 'second', apply() {} };
