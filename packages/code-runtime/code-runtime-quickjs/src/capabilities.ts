import type { CodeCapabilities } from '@sluice/code-runtime';

const ABSENT = 'QuickJS in WebAssembly is given a clock, random numbers and one function to send messages with';

export const capabilities: CodeCapabilities = {
  time: { level: 'contained', how: 'the engine asks every ten thousand instructions or so; from outside, the thread is terminated' },
  heap: { level: 'contained', how: 'the engine refuses what goes beyond, and a program cannot catch that' },
  externalMemory: { level: 'contained', how: 'array buffers count as heap' },
  env: { level: 'contained', how: ABSENT },
  fs: { level: 'contained', how: ABSENT },
  network: { level: 'contained', how: ABSENT },
  processes: { level: 'contained', how: ABSENT },
  fitFor: 'hostile',
};
