// The operator's command line, and what it answers: in the test's own process, or as a process where that is the point.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runCommand } from '../../src/cli/program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface SesameCommand {
  /** Runs `sesame …` and waits for its end. */
  run(args: string[], input?: string, environment?: Record<string, string>): Promise<Run>;
  /** Runs a command that must succeed, and gives what it prints as JSON. */
  json(...args: string[]): Promise<Record<string, unknown>>;
  /** The same for a list. */
  rows(...args: string[]): Promise<Record<string, unknown>[]>;
  /** Runs a command that must fail with exit code 1, and gives its clear words. */
  fault(args: string[], input?: string, environment?: Record<string, string>): Promise<string>;
}

type Runs = (args: string[], input: string, environment: Record<string, string>) => Promise<Run>;

/** The command line on a database, without a process: each command for itself on a connection of its own. */
export const sesameCommand = (databaseUrl: () => string): SesameCommand =>
  commandLine(databaseUrl, async (args, input, environment) => {
    const said = { output: '', errors: '' };
    const into = (stream: keyof typeof said) => ({
      write: (text: string) => {
        said[stream] += text;
      },
    });
    const code = await runCommand(args, {
      environment,
      input: Readable.from([Buffer.from(input)]),
      output: into('output'),
      errors: into('errors'),
    });
    return { code, stdout: said.output, stderr: said.errors };
  });

/** The command line as a process of its own, `node src/cli.ts …`: how it ends, and what it shares with no other. */
export const sesameProcess = (databaseUrl: () => string): SesameCommand =>
  commandLine(
    databaseUrl,
    (args, input, environment) =>
      new Promise((resolve, reject) => {
        const env = {
          PATH: process.env.PATH,
          NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/v8'),
          ...environment,
        };
        const child = spawn(process.execPath, ['src/cli.ts', ...args], { cwd: ROOT, env });
        let [stdout, stderr] = ['', ''];
        child.stdout.setEncoding('utf8').on('data', (text) => {
          stdout += text;
        });
        child.stderr.setEncoding('utf8').on('data', (text) => {
          stderr += text;
        });
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, stdout, stderr }));
        child.stdin.on('error', () => {}); // a command that does not read its input may end before it is written
        child.stdin.end(input);
      }),
  );

function commandLine(databaseUrl: () => string, start: Runs): SesameCommand {
  const run: SesameCommand['run'] = (args, input = '', environment = {}) =>
    start(args, input, { NODE_ENV: 'test', DATABASE_URL: databaseUrl(), ...environment });
  const json: SesameCommand['json'] = async (...args) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  return {
    run,
    json,
    rows: async (...args) => (await json(...args)) as unknown as Record<string, unknown>[],
    fault: async (args, input, environment) => {
      const { code, stdout, stderr } = await run(args, input, environment);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).not.toMatch(/\n {4}at |node_modules|Error:/);
      expect(stderr.endsWith('\n')).toBe(true);
      return stderr;
    },
  };
}
