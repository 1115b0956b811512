// What a plugin needs to be mounted for the catalog, by its export: configuration without which it does not start, or with which
// it starts nothing that outlives a look at it.
export const mounts = {
  codeRuntimeQuickjs: { spares: 0 },
  codeRuntimeWorkerThread: { spares: 0 },
  fsLocal: { root: '.' },
  renderTerminal: { output: { write: () => true } },
  toolTodo: { allowParallelInProgress: false },
  // With programs, so that the tool for programs is there.
  tools: { mode: 'both' },
};

/** What is mounted beside a plugin, so that it shows all it has. */
export const beside = {
  tools: ['codeRuntimeWorkerThread'],
};

/** Who provides a service that a plugin injects, by the provider's export. */
export const providers = {
  tools: 'tools',
  fs: 'fsMemory',
  approval: 'approval',
  codeRuntime: 'codeRuntimeWorkerThread',
  systemPrompt: 'systemPrompt',
  agents: 'agentLoop',
  rules: 'permissionRules',
  session: 'session',
};
