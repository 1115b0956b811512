import { describePlugin } from '@sluice/testing';
import { describe, expect, it, vi } from 'vitest';
import { toolCallTimeoutPolicy } from '../src/index.ts';
import { aSlowTool, call, code, pass, setup } from './support.ts';

describePlugin(() => toolCallTimeoutPolicy, {
  async proof(ctx) {
    vi.useFakeTimers();
    try {
      // Ends by itself, so that without the policy the proof fails instead of waiting for ever.
      ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 1_000 }));
      const result = call(ctx);
      await pass(1_000);
      expect(code(await result)).toBe('TOOL_TIMEOUT');
    } finally {
      vi.useRealTimers();
    }
  },
});

describe('with every option', () => {
  describePlugin(() => toolCallTimeoutPolicy, {
    config: { perTool: { 'unrelated_*': 60_000 }, defaultMs: 1_000, maxMs: 120_000, onIgnored: 'settle', graceMs: 10, idle: { hardMaxMs: 90_000 } },
  });
});

describe('without the policy', () => {
  it('nothing enforces a declared timeout', async () => {
    await using bed = setup();
    await bed.policy.dispose();
    bed.ctx.tools.register(aSlowTool({ timeoutMs: 50, takesMs: 1_000 }));
    const result = call(bed.ctx);
    await pass(1_000);
    expect(code(await result)).toBe('ok');
  });
});
