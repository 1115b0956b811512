export { loadDeployment, type Deployment, type LoadOptions, type ReloadResult } from './deployment/load.ts';
export { watchDeployment, type WatchOptions } from './deployment/watch.ts';
export type { Changes } from './deployment/composition.ts';
export { DeploymentError, type Problem } from './file/problem.ts';
export type { Position } from './file/tree.ts';
