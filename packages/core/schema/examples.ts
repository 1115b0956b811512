// #region use
import { compileSchema, describeIssues, resolveConfig, snapshotJson, type InferInput } from '@sluice/core-schema';

const source = { path: { type: 'string', required: true }, limit: { type: 'integer', minimum: 1 } } as const;
type Arguments = InferInput<typeof source>; // { path: string; limit?: number }
const example: Arguments = { path: 'a.txt' };

const parameters = compileSchema(source, { origin: 'own', label: 'tool "read_file" parameters' });
console.log(parameters.validate(example).length); // 0
console.log(describeIssues(parameters.validate({ limit: '500' })));
// missing required property "path"; "limit" must be an integer, received string "500"

const sent = snapshotJson({ path: 'a.txt', when: new Date(0) });
console.log(sent.ok ? sent.value : sent.issue.message); // "when" must be a plain object, received an instance of Date

const config = { type: 'object', properties: { ms: { type: 'integer', default: 100 } } };
console.log(resolveConfig(config, {}, 'plugin "timeout"')); // { ms: 100 }
// #endregion
