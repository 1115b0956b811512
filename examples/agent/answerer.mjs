// Says yes where there is nobody to ask, for the scripted turn only. With a real model nobody would be a no.
import { definePlugin } from '@sluice/core-tools';

export const scriptedAnswerer = (say) =>
  definePlugin({
    name: 'scripted-answerer',
    apply(ctx) {
      ctx.on('approval/request', ({ toolName, arguments: { path } }) => {
        say(`scripted-answerer: no terminal, so a plugin of this example says yes to ${toolName} ${path}`);
        return { kind: 'allowed-once' };
      });
    },
  });
