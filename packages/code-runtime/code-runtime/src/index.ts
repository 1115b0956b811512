export type * from './types.ts';
export { isErrorMember, isPortableIdentifier } from './identifiers.ts';

// For providers.
export { validateRequest, type ValidNamespace } from './request.ts';
export { loadPreparation, prepare, ProgramError, type Position, type PreparedProgram } from './prepare.ts';
export { workerRuntimeConfig, type WorkerRuntimeConfig } from './host/config.ts';
export { WorkerRuntime, type WorkerRuntimeOptions } from './host/worker-runtime.ts';
