export { aCall, aGate, aTool, type Gate, type ToolOverrides } from './factories.ts';
export { aHost, type Host } from './host.ts';
export { aLogger, type LogEntry, type LogLevel, type RecordingLogger } from './logger.ts';
export { recordHooks, type HookRecorder, type RecordedEvent, type RecordedPhase } from './recorder.ts';
export { pluginChecks, type PluginCheck, type PluginCheckOptions } from './plugin-checks.ts';
export { describePlugin } from './describe-plugin.ts';
export { fileSystemChecks, type FileSystemCheckOptions } from './filesystem-checks.ts';
export { describeFileSystem } from './describe-file-system.ts';
export type { FileSystemFixture, OutsideWorld } from './filesystem/world.ts';
