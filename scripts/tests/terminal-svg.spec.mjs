import xterm from '@xterm/headless';
import { expect, it } from 'vitest';
import { terminalSvg } from '../docs/terminal-svg.mjs';

async function screen(text) {
  const terminal = new xterm.Terminal({ cols: 40, rows: 5, allowProposedApi: true });
  await new Promise((resolve) => { terminal.write(text, resolve); });
  return terminal;
}

it('keeps columns, colours and weight, and cannot be broken out of', async () => {
  const svg = terminalSvg(await screen('a  \x1b[1;31mred\x1b[0m\r\n  <b> & "c"'), { title: 'a & b' });
  expect(svg).toContain('<title>a &amp; b</title>');
  expect(svg).toContain('class="c1 b">red</text>');
  expect(svg).toContain('>\u00a0\u00a0&lt;b&gt;\u00a0&amp;\u00a0&quot;c&quot;</text>');
  expect(svg).not.toContain('<b>');
});

it('has colours for light and for dark pages', async () => {
  const svg = terminalSvg(await screen('x'), { title: 'x' });
  expect(svg).toMatch(/text\{fill:#1f2328\}[^]*prefers-color-scheme:dark[^]*text\{fill:#e6edf3\}/);
});

it('shows the rows that were asked for, and says how many are left out', async () => {
  const svg = terminalSvg(await screen('one\r\ntwo\r\nthree\r\nfour'), { title: 'x', skip: 1, rows: 1 });
  expect(svg.match(/<text [^]*?<\/text>/g)?.map((each) => each.replace(/<[^>]*>/g, ''))).toEqual(['two', '…\u00a02\u00a0more\u00a0rows']);
});
