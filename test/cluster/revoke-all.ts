import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @returns the command's output */
export async function revokeAll(databaseUrl: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['src/cli.ts', 'tokens', 'revoke-all', '--yes'],
    {
      cwd: ROOT,
      env: { PATH: process.env.PATH, NODE_ENV: 'test', DATABASE_URL: databaseUrl },
    },
  );
  return stdout.trim();
}
