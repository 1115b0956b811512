// What a model would call, in order. A list in the list is one batch: its calls are made at the same time.
const call = (name, args, isRefused = false) => ({ name, arguments: args, isRefused });

export const steps = [
  ['What is there, and what is to be done?', [call('list_directory', { path: '.' }), call('grep', { pattern: 'TODO', context: 1 })]],
  ['Read before editing. The lines have no endings, the heading says which they are.', [call('read_file', { path: 'src/price.js' })]],
  [
    'Three edits of one file at once queue; none is lost. LF in the call becomes CRLF in the file.',
    [
      call('edit_file', { path: 'src/price.js', old: '// TODO: tax', new: '// Tax is included.' }),
      call('edit_file', { path: 'src/price.js', old: '  return order.amount * 100;\n', new: '  const net = order.amount * 100;\n  return Math.round(net * (1 + rate));\n' }),
      call('edit_file', { path: 'src/price.js', old: 'export function', new: "import { rate } from './tax.js';\n\nexport function" }),
      call('write_file', { path: 'src/tax.js', content: 'export const rate = 0.2;\n' }),
    ],
  ],
  ['A near miss changes nothing, and shows what is closest.', [call('edit_file', { path: 'src/format.js', old: "export const format = (cents) =>  '$'", new: 'x' }, true)]],
  ['`$&` is text, and a byte order mark stays.', [
    call('edit_file', { path: 'src/format.js', old: "'$'", new: "'$&'" }),
    call('edit_file', { path: 'config.json', old: 'USD', new: 'EUR' }),
  ]],
  ['A whole file.', [call('write_file', { path: 'README.md', content: '# Prices\n\nRun `npm start`.\n' })]],
  ['What is not in the workspace does not exist.', [call('read_file', { path: '../../etc/passwd' }, true)]],
  ['Anything left to do? And what is new?', [call('grep', { pattern: 'TODO' }), call('glob', { pattern: 'src/*.js' })]],
];
