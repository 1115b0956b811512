export { aCall, aGate, aTool, type Gate, type ToolOverrides } from './factories.ts';
export { recordHooks, type HookRecorder, type RecordedEvent, type RecordedPhase } from './recorder.ts';
export { describePlugin, type DescribePluginOptions } from './describe-plugin.ts';
