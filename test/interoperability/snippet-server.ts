// Runs a server snippet in a separate process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '../support/wait-until.ts';

export interface SnippetServer {
  origin: string;
  /** Returns what the server has written to standard output and standard error. */
  output(): string;
  stop(): Promise<void>;
}

/**
 * Starts the server and waits until its origin responds with any status.
 * @param environment variables in addition to PATH and HOME
 */
export async function startSnippetServer(
  [command, ...args]: readonly [string, ...string[]],
  origin: string,
  folder: string,
  environment: Record<string, string>,
): Promise<SnippetServer> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  await waitUntil(
    () => `the server to listen at ${origin}; its output:\n${output}`,
    () => {
      if (child.exitCode !== null) throw new Error(`The server exited:\n${output}`);
      return fetch(origin, { redirect: 'manual' }).then(
        () => true,
        () => false,
      );
    },
    60_000,
  ).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { origin, output: () => output, stop };
}
