export { columnsOf, pieces } from './columns.ts';
export { painted, type Row, type Tone } from './paint.ts';
export { visible, visibleLines } from './visible.ts';
