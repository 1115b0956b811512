// What the scripted model says, reply by reply. Everything that answers it is real: the files, the deadline, the reminder, the person.
import { scriptedModel } from '@sluice/core-agent-loop/scripted';

const call = (name, args = {}) => ({ name, arguments: args });
const todos = (...statuses) =>
  call('todo_write', {
    todos: ['find what is asked for', 'add the tax', 'check that nothing is left', 'note it in the changelog']
      .slice(0, statuses.length)
      .map((content, at) => ({ content, status: statuses[at] })),
  });

const program = `
const { paths } = await tools.glob({ pattern: 'src/*.js' });
const reads = paths.map((path) => tools.read_file({ path }));
const lines = (await Promise.all(reads)).flatMap((file) => file.lines);
const open = lines.filter(({ text }) => text.includes('TODO'));
try {
  await tools.write_file({ path: 'dist/till.js', content: '// fresh' });
} catch (error) {
  console.log(error.code + ', so the build has to do that');
}
return { lines: lines.length, open: open.length };
`.trim();

const replies = [
  { text: 'I look for what is asked, and write down what there is to do.', calls: [todos('in_progress', 'pending', 'pending', 'pending'), call('grep', { pattern: 'TODO' })] },
  { text: 'Two places. I read the first and look up the rate.', calls: [call('read_file', { path: 'src/price.js' }), call('tax_rate', { country: 'NL' })] },
  {
    text: 'Now I have the rate. Both edits at once:',
    calls: [
      call('edit_file', {
        path: 'src/price.js',
        old: 'export function price(order) {\n  // TODO: add the tax\n  return order.amount * order.cents;\n}',
        new: 'export const taxRate = 0.21;\n\nexport function price(order) {\n  return Math.round(order.amount * order.cents * (1 + taxRate));\n}',
      }),
      receiptEdit(),
    ],
  },
  { text: 'I had not read the second file, so I was not let at it. I read it first.', calls: [call('read_file', { path: 'src/receipt.js' })] },
  { calls: [receiptEdit(), todos('completed', 'completed', 'in_progress', 'pending')] },
  { text: 'Is anything left?', calls: [call('grep', { pattern: 'TODO', path: 'src' })] },
  { text: 'Let me make sure.', calls: [call('grep', { pattern: 'TODO', path: 'src' })] },
  { text: 'And once more.', calls: [call('grep', { pattern: 'TODO', path: 'src' })] },
  { text: 'Right, asking again will not change it. I wait for the build instead.', calls: [call('wait_for_build')] },
  {
    text: 'Nothing is built here, and there was a deadline. A program checks the rest in one go.',
    calls: [{ name: 'run_code', arguments: { code: program, description: 'Count what is left to do' } }],
  },
  { text: 'The changelog is left. It is not a source, so somebody will be asked.', calls: [call('read_file', { path: 'CHANGELOG.md' })] },
  { calls: [call('edit_file', { path: 'CHANGELOG.md', old: '## Unreleased\n\n', new: '## Unreleased\n\n- Prices include the Dutch tax of 21 %.\n' })] },
  (refusal) =>
    refusal === undefined
      ? { text: 'Thank you.', calls: [todos('completed', 'completed', 'completed', 'completed')] }
      : { text: 'As you wish; then it stays out, and off the list.', calls: [todos('completed', 'completed', 'completed')] },
  'Prices include the tax, receipts say so, and no TODO is left in src. I could not see a build.',
];

function receiptEdit() {
  return call('edit_file', {
    path: 'src/receipt.js',
    old: "import { price } from './price.js';\n\nexport function receipt(order) {\n  // TODO: name the tax\n  return `Total: ${price(order)}`;",
    new: "import { price, taxRate } from './price.js';\n\nexport function receipt(order) {\n  return `Total: ${price(order)}, tax ${taxRate} included`;",
  });
}

/** What the person had to say against the latest call, if anything. */
function refusalIn({ prompt }) {
  const results = prompt.at(-1);
  const { output } = results.role === 'tool' ? results.content.at(-1) : {};
  return output?.type === 'error-text' ? output.value : undefined;
}

export const scripted = () =>
  scriptedModel((request, index) => {
    const reply = replies[index];
    return typeof reply === 'function' ? reply(refusalIn(request)) : reply;
  });
