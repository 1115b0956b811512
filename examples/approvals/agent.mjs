// Stands in for a model and its loop: a fixed script that only knows what a model would know, the content of results.
const retries = (file) => ({ name: 'edit_file', arguments: { file, old: '"retries": 1', new: '"retries": 3' } });
const checks = { name: 'run_checks', arguments: { part: 'settings' } };

/** @param say prints one line; `who` is the agent, or the reader of a result */
export function scriptedAgent(tools, say) {
  const call = async (request) => {
    const result = await tools.execute(request);
    say('model reads', result.content.map((block) => block.text ?? `[${block.type}]`).join('\n'));
    return result;
  };
  return {
    async edits() {
      say('agent', 'Failed requests should be tried three times. I edit production.json.');
      say('try', 'm, then type: use the other file');
      const first = await call(retries('production.json'));
      if (!first.isError) return;
      if (!first.content[0].text.includes('other file')) return say('agent', 'Then I leave the files alone.');
      say('agent', 'The other file it is: staging.json.');
      say('try', 'y');
      await call(retries('staging.json'));
    },
    async checks(suggestion) {
      say('agent', 'I run the checks.');
      if (suggestion !== undefined) say('try', suggestion);
      return call(checks);
    },
  };
}
