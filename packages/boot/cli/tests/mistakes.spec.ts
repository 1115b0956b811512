import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { DeploymentError, loadDeployment } from '../src/index.ts';
import { SOURCE, quiet } from './support.ts';

const directory = join(import.meta.dirname, 'mistakes');
const mistakes = readdirSync(directory).filter((name) => name.endsWith('.yml'));

async function refusal(file: string): Promise<DeploymentError> {
  try {
    const deployment = await loadDeployment(join(directory, file), { ...SOURCE, logger: quiet, variables: {} });
    await deployment.close();
  } catch (error) {
    if (error instanceof DeploymentError) return error;
    throw error;
  }
  throw new Error(`${file} is no mistake`);
}

describe('a mistake in a deployment file', () => {
  it('is there in more than thirty kinds', () => {
    expect(mistakes.length).toBeGreaterThan(30);
  });

  for (const file of mistakes) {
    it(`is told with its line and a way out: ${file.replace('.yml', '').replaceAll('-', ' ')}`, async () => {
      vi.spyOn(process, 'cwd').mockReturnValue(directory);
      const { message, problems } = await refusal(file);
      await expect(`${message.replaceAll(directory, '<here>')}\n`).toMatchFileSnapshot(join(directory, file.replace('.yml', '.txt')));
      for (const problem of problems) {
        expect(problem.at?.file.startsWith(directory), 'names the file').toBe(true);
        expect(problem.remedy ?? problem.expected, 'says what to do, or what would have been right').toBeTypeOf('string');
      }
    });
  }
});
