import { resolve, sep } from 'node:path';
import type { Notification } from '@sluice/core-context';
import { isSluiceError } from '@sluice/core-schema';
import { definePlugin, type ApprovalOutcome, type ApprovalRequest, type GuardVerdict, type ToolExecution } from '@sluice/core-tools';
import { rememberableRule } from './answers.ts';
import { compileRule, type RuleSettings } from './compile-rule.ts';
import { config, type PermissionRulesConfig } from './config.ts';
import { describeRule } from './describe-rule.ts';
import { Judgement, reasonOf } from './judgement.ts';
import { Remembered, type Place } from './memory/remembered.ts';
import { realPath, RuleFile } from './memory/rule-file.ts';
import { ruleFor } from './rule-for.ts';
import { rulesFor } from './service.ts';
import type { Explanation, PermissionRules } from './types.ts';

export type * from './types.ts';
export type { DefaultDecisions, PermissionRulesConfig } from './config.ts';
export { describeRule, ruleFor };

declare module '@sluice/core-context' {
  interface Services {
    rules: PermissionRules;
  }

  interface Hooks {
    /** Under `mode: 'observe'`: what would have been decided, once per call that reached policy. */
    'rules/observed': Notification<[exec: ToolExecution, explanation: Explanation]>;
    /** A question has been answered. Whoever asks people emits it; its `allowed-always` is what is remembered here. */
    'approval/decided': Notification<[request: ApprovalRequest, outcome: ApprovalOutcome]>;
  }
}

const NAME = 'permission-rules';
const NO_ANNOTATIONS = Object.freeze({});

/**
 * Decides by rules which calls run, which a person is asked about, and which do not run. A gate; what it decides is a guard,
 * so no listener loosens it. Remembers what people agreed to, shows it and forgets it when told.
 */
export const permissionRules = definePlugin<PermissionRulesConfig>({
  name: NAME,
  inject: ['tools'],
  gate: true,
  config,
  apply(ctx, given) {
    const root = resolve(given.root ?? process.cwd());
    const settings: RuleSettings = {
      roots: [slashed(root), slashed(realPath(root))],
      commandArguments: new Set(given.commandArguments.map((name) => name.toLowerCase())),
    };
    const rules = given.rules.map((rule, index) => compileRule(rule, `config[${index}]`, 'config', settings));
    const file = given.file === undefined ? undefined : new RuleFile(resolve(root, given.file), settings);
    // A file that cannot be used fails the plugin, and a gate that has failed lets nothing through.
    file?.read();
    if (file !== undefined && slashed(file.path).startsWith(`${settings.roots[0]}/`)) {
      ctx.logger.warn(`${NAME}: ${file.path} is inside the root, where tools may be able to write; keep remembered rules outside`);
    }
    const remembered = new Remembered(settings, file, (message) => { ctx.logger.warn(message); });
    const judgement = new Judgement(rules, remembered, given.defaults);
    /** Where the calls are that a person is being asked about, by question. */
    const asked = new Map<string, Place>();

    const explain = (exec: ToolExecution, place: Place): Explanation =>
      judgement.explain({ toolName: exec.name, arguments: exec.arguments ?? null, annotations: exec.tool && (exec.tool.annotations ?? NO_ANNOTATIONS) }, place);

    const enforce = (exec: ToolExecution): GuardVerdict => {
      const place = { scopePath: exec.scopePath, rootCallId: exec.rootCallId };
      const explanation = explain(exec, place);
      switch (explanation.decision) {
        case 'allow':
          return undefined;
        case 'ask':
          asked.set(exec.id, place);
          return { ask: reasonOf(explanation, exec.name) };
        case 'deny':
          return { deny: reasonOf(explanation, exec.name) };
      }
    };

    const seen = new WeakSet<ToolExecution>();
    const observe = (exec: ToolExecution): undefined => {
      if (seen.has(exec)) return;
      seen.add(exec);
      const explanation = explain(exec, { scopePath: exec.scopePath, rootCallId: exec.rootCallId });
      if (explanation.decision !== 'allow') ctx.logger.info(`${NAME}: would ${explanation.decision} this call of "${exec.name}": ${explanation.why}`, { callId: exec.callId });
      ctx.emit('rules/observed', exec, explanation);
    };

    ctx.tools.guard(given.mode === 'observe' ? observe : enforce);
    ctx.provide('rules', { bind: (caller) => rulesFor(caller, judgement, remembered) });
    ctx.on('tools/result', (exec) => {
      asked.delete(exec.id);
      if (exec.parentCallId === undefined) remembered.endCall(exec.callId);
    });
    ctx.on('approval/decided', (request, outcome) => {
      if (outcome.kind !== 'allowed-always') return;
      const complain = (error: unknown): void => {
        ctx.logger.error(`${NAME}: an answer for tool "${request.toolName}" is not remembered as it says: ${isSluiceError(error) ? error.message : String(error)}`, error);
      };
      try {
        const place = asked.get(request.id) ?? { scopePath: request.scope?.split('/') ?? [], rootCallId: undefined };
        remember(request, outcome.rule, place).catch(complain);
      } catch (error) {
        complain(error);
      }
    });

    /** An answer can only widen what it answers: the rule must be an allow, and cover the very call that was shown. */
    function remember(request: ApprovalRequest, answer: unknown, { scopePath, rootCallId }: Place): Promise<void> {
      const rule = rememberableRule(answer);
      const compiled = compileRule(rule, 'the answer', 'remembered', settings);
      if (rule.decision !== 'allow') throw new Error(`its rule is no allow but ${rule.decision}`);
      if (!compiled.isFor(request.toolName) || !compiled.matches(request.arguments)) throw new Error('its rule does not cover the call that was asked about');
      return remembered.add(rule, { scopePath, callId: rootCallId }).stored;
    }

    return () => remembered.idle();
  },
});
export default permissionRules;

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
