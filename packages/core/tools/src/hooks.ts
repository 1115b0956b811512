import type { Notification, Waterfall, WaterfallWithPatch } from '@sluice/core-context';
import type {
  PostToolDecision,
  PreToolDecision,
  ToolChange,
  ToolExecution,
  ToolExecutionResult,
  ToolHold,
  ToolLate,
  ToolProgress,
  ToolRuntime,
} from './types.ts';
import type { AgentStep, AgentStepDecision } from './agent.ts';
import type { LazyAbortController } from './lazy-abort-controller.ts';
import type { ApprovalService, CodeRuntime } from './services.ts';

declare module '@sluice/core-context' {
  interface Services {
    tools: ToolRuntime;
    approval: ApprovalService;
    codeRuntime: CodeRuntime;
  }

  interface Hooks {
    /** On entry of every call, invalid and unknown ones included. */
    'tools/call': Notification<[exec: ToolExecution]>;
    /** Extensible policy: allow, deny or ask. A throw or nonsense fails the call with `PIPELINE_FAILED`. */
    'tools/pre-execute': Waterfall<[exec: ToolExecution], PreToolDecision>;
    /** Around the body. `next({ signal })` adds a signal for everything inside; `next()` may be called again. */
    'tools/execute': WaterfallWithPatch<[exec: ToolExecution], ToolExecutionResult, { signal?: AbortSignal | LazyAbortController }>;
    /** After every outcome that policy may still shape: accept (content or value, extra contexts) or block. */
    'tools/post-execute': Waterfall<[exec: ToolExecution, result: ToolExecutionResult], PostToolDecision>;
    /** Exactly once per call that entered, after all transforms; both arguments frozen. */
    'tools/result': Notification<[exec: ToolExecution, result: ToolExecutionResult]>;
    'tools/progress': Notification<[exec: ToolExecution, progress: ToolProgress]>;
    /** A body ended after a wrapper had settled its call. */
    'tools/late': Notification<[late: ToolLate]>;
    /** A person is being asked, for this call or a descendant: deadlines pause while `held`. */
    'tools/hold': Notification<[hold: ToolHold]>;
    /** A program's call of a tool starts; the hooks of a call follow. */
    'tools/code-dispatch-start': Notification<[exec: ToolExecution]>;
    /** It has its result; exactly once for each that started. */
    'tools/code-dispatch': Notification<[exec: ToolExecution, result: ToolExecutionResult]>;
    /** Before an agent loop sends messages to its model: may add contexts, may stop. */
    'agent/pre-step': Waterfall<[step: AgentStep], AgentStepDecision>;
    /** After a registration, restriction or presentation changed in the scope named. */
    'tools/change': Notification<[change: ToolChange]>;
  }
}

export type HookName = 'tools/call' | 'tools/pre-execute' | 'tools/execute' | 'tools/post-execute' | 'tools/result';
