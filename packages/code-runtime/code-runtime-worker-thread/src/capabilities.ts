import type { CodeCapabilities } from '@sluice/code-runtime';

const ABSENT = 'nothing in the realm leads there; a way out of a node:vm context would';

export const capabilities: CodeCapabilities = {
  time: { level: 'contained', how: 'busy time of the thread is measured from outside, and the thread is terminated' },
  heap: { level: 'approximate', how: 'growth of the process is looked at every 20 ms; V8 itself stops only far above' },
  externalMemory: { level: 'approximate', how: 'counted with the growth of the process' },
  env: { level: 'approximate', how: `the thread's own environment is empty; ${ABSENT}` },
  fs: { level: 'approximate', how: ABSENT },
  network: { level: 'approximate', how: ABSENT },
  processes: { level: 'approximate', how: ABSENT },
  fitFor: 'mistakes',
};
