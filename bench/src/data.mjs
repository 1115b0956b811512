// The two tools that every contender offers, and what they work on.

/** JSON Schema of an object whose properties are all required and that allows no others. */
const closed = (properties) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const echoSchema = closed({ message: { type: 'string' }, n: { type: 'integer' } });

/** Fresh arguments for each call, as a caller that has just parsed them would hand over. */
export const echoArguments = () => ({ message: 'hello', n: 1 });
export const echo = (args) => ({ message: args.message, n: args.n });

export const rowsInput = closed({ count: { type: 'integer' } });
const row = closed({
  id: { type: 'integer' },
  name: { type: 'string' },
  score: { type: 'number' },
  active: { type: 'boolean' },
});
export const rowsSchema = closed({ rows: { type: 'array', items: row } });

export const ROWS = 10_000;

/** Built once: what is measured is what a contender does to a result, not how a tool comes by it. */
export const rowsValue = {
  rows: Array.from({ length: ROWS }, (_, id) => ({ id, name: `row ${id}`, score: id / 4, active: id % 2 === 0 })),
};
export const rowsArguments = () => ({ count: ROWS });

export const text = (line) => [{ type: 'text', text: line }];
