export { SluiceError, isSluiceError } from './errors.ts';
export type { JsonObject, JsonPrimitive, JsonValue } from './json.ts';
export { describeIssues, type SchemaIssue } from './issue.ts';
export { snapshotJson, type Snapshot, type SnapshotLimits } from './snapshot.ts';
export { parseJsonText } from './parse-json.ts';
export { canonicalJson } from './canonical.ts';
export { compileSchema, isObjectRoot, type CompiledSchema } from './compile.ts';
export { resolveConfig } from './config.ts';
export type { InferInput, SchemaSource } from './infer.ts';
