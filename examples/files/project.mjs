// The project that is edited: small, and with what makes file tools fail. CRLF here, a byte order mark there, a build that git ignores.
export const project = {
  '.gitignore': 'dist/\n',
  'README.md': '# Prices\n\nTODO: say how to run it.\n',
  'src/price.js': 'export function price(order) {\r\n  // TODO: tax\r\n  return order.amount * 100;\r\n}\r\n',
  'src/format.js': "export const format = (cents) => '$' + cents / 100;\n",
  'config.json': '\ufeff{\n  "currency": "USD"\n}\n',
  'dist/bundle.js': '// TODO: generated\n',
};

/** What must be there afterwards, byte for byte. */
export const afterwards = {
  'README.md': '# Prices\n\nRun `npm start`.\n',
  'src/price.js':
    "import { rate } from './tax.js';\r\n\r\nexport function price(order) {\r\n  // Tax is included.\r\n  const net = order.amount * 100;\r\n  return Math.round(net * (1 + rate));\r\n}\r\n",
  'src/format.js': "export const format = (cents) => '$&' + cents / 100;\n",
  'src/tax.js': 'export const rate = 0.2;\n',
  'config.json': '\ufeff{\n  "currency": "EUR"\n}\n',
  'dist/bundle.js': '// TODO: generated\n',
};
