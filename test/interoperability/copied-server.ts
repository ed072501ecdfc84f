// A copied server, running as a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../support/until.ts';

export interface CopiedServer {
  origin: string;
  /** What it wrote to standard output and standard error. */
  said(): string;
  stop(): Promise<void>;
}

/**
 * Starts it and waits until it answers at its origin, whatever it answers.
 * @param environment all that it gets beside PATH and HOME
 */
export async function startCopied(
  [command, ...args]: readonly [string, ...string[]],
  origin: string,
  folder: string,
  environment: Record<string, string>,
): Promise<CopiedServer> {
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await until(
    () => `the copied server to listen at ${origin}; it said:\n${said}`,
    () => {
      if (child.exitCode !== null) throw new Error(`the copied server ended:\n${said}`);
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
  return { origin, said: () => said, stop };
}
