// #region use
import { createContext, definePlugin, type Notification, type Waterfall } from '@sluice/core-context';

declare module '@sluice/core-context' {
  interface Services {
    mailer: { send(to: string, text: string): Promise<string> };
  }
  interface Hooks {
    'mail/send': Waterfall<[to: string, text: string], string>;
    'mail/sent': Notification<[to: string, receipt: string]>;
  }
}

const mailer = definePlugin({
  name: 'mailer',
  apply(ctx) {
    ctx.provide('mailer', {
      // Bound to whoever reads it, so that their listeners are asked.
      bind: (caller) => ({
        async send(to, text) {
          const receipt = await caller.waterfall('mail/send', [to, text], () => `sent to ${to}`);
          caller.emit('mail/sent', to, receipt);
          return receipt;
        },
      }),
    });
  },
});

const onlyInside = definePlugin<{ domain: string }>({
  name: 'only-inside',
  gate: true,
  config: { type: 'object', properties: { domain: { type: 'string', default: 'example.com' } } },
  apply(ctx, { domain }) {
    ctx.on('mail/send', (to, _text, next) => (to.endsWith(`@${domain}`) ? next() : `refused: ${to}`));
  },
});

const ctx = createContext();
try {
  ctx.plugin(mailer);
  const rule = ctx.plugin(onlyInside);
  await ctx.ready();

  const agent = ctx.scope('agent'); // what is registered here, only the agent sees
  agent.on('mail/sent', (to, receipt) => console.log(to, '->', receipt));

  await agent.mailer.send('ann@example.com', 'hi'); // ann@example.com -> sent to ann@example.com
  await agent.mailer.send('bob@example.org', 'hi'); // bob@example.org -> refused: bob@example.org
  await rule.update({ domain: 'example.org' }); // swapped at once, in the same place
  await agent.mailer.send('bob@example.org', 'hi'); // bob@example.org -> sent to bob@example.org
} finally {
  await ctx.dispose();
}
// #endregion
