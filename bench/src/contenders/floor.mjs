// The least that a checked call can do by hand: Ajv in and out, structuredClone of arguments and value, deep freeze.
// No registry, no hooks, no signal, no failure codes.
import { echo, echoArguments, echoSchema, rowsArguments, rowsInput, rowsSchema, rowsValue, text } from '../data.mjs';

export const name = 'floor';
export const title = 'floor (Ajv, structuredClone, freeze)';
export const checks = 'arguments and results';

function deepFreeze(value) {
  if (typeof value !== 'object' || value === null) return value;
  for (const key of Object.keys(value)) deepFreeze(value[key]);
  return Object.freeze(value);
}

export async function load() {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020();

  function tool(parameters, output, execute, render) {
    const validArguments = ajv.compile(parameters);
    const validValue = ajv.compile(output);
    return async (input) => {
      const args = structuredClone(input);
      if (!validArguments(args)) throw new Error(ajv.errorsText(validArguments.errors));
      deepFreeze(args);
      const value = structuredClone(await execute(args));
      if (!validValue(value)) throw new Error(ajv.errorsText(validValue.errors));
      deepFreeze(value);
      return { value, content: render(args, value) };
    };
  }
  const small = tool(echoSchema, echoSchema, async (args) => echo(args), (_args, value) => text(value.message));
  const rows = tool(rowsInput, rowsSchema, async () => rowsValue, (_args, value) => text(`${value.rows.length} rows`));
  const read = (result) => result.value;

  return {
    small: () => ({ call: () => small(echoArguments()), read }),
    rows: () => ({ call: () => rows(rowsArguments()), read }),
    batch: (size) => ({
      call: () => Promise.all(Array.from({ length: size }, () => small(echoArguments()))),
      read: (results) => results.map(read),
    }),
  };
}
