// What the models say. A real one is any language model object of the AI SDK in their place.
import { scriptedModel } from '@sluice/core-agent-loop/scripted';

export const lead = scriptedModel([
  {
    text: 'I have both looked up at once.',
    calls: [
      { name: 'delegate', arguments: { task: 'How long is the harbour wall?' } },
      { name: 'delegate', arguments: { task: 'How deep is the harbour?' } },
    ],
  },
  'The wall is 400 m long, and the harbour 9 m deep.',
]);

/** An assistant tries to write first, which nobody here may, and then does what it should. */
export const assistant = (task) =>
  scriptedModel([
    { calls: [{ name: 'write', arguments: { note: task } }, { name: 'look_up', arguments: { word: task.includes('long') ? 'wall' : 'depth' } }] },
    ({ wall: '400 m', depth: '9 m' })[task.includes('long') ? 'wall' : 'depth'],
  ]);
