// Runs the CLI, in this process or in a child process.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runCommand } from '../../src/cli/program.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface SesameCommand {
  run(args: string[], input?: string, environment?: Record<string, string>): Promise<CommandResult>;
  runJson(...args: string[]): Promise<Record<string, unknown>>;
  runJsonList(...args: string[]): Promise<Record<string, unknown>[]>;
  /** Expects exit code 1. Returns the error message. */
  runFailing(args: string[], input?: string, environment?: Record<string, string>): Promise<string>;
}

type RunCommand = (
  args: string[],
  input: string,
  environment: Record<string, string>,
) => Promise<CommandResult>;

export const createSesameCommand = (databaseUrl: () => string): SesameCommand =>
  createCommand(databaseUrl, async (args, input, environment) => {
    const output = { output: '', errors: '' };
    const createSink = (stream: keyof typeof output) => ({
      write: (text: string) => {
        output[stream] += text;
      },
    });
    const code = await runCommand(args, {
      environment,
      input: Readable.from([Buffer.from(input)]),
      output: createSink('output'),
      errors: createSink('errors'),
    });
    return { code, stdout: output.output, stderr: output.errors };
  });

/** Runs each command in a child process. */
export const createSesameProcess = (databaseUrl: () => string): SesameCommand =>
  createCommand(
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
        child.stdin.on('error', () => {}); // the command may exit without reading standard input
        child.stdin.end(input);
      }),
  );

function createCommand(databaseUrl: () => string, start: RunCommand): SesameCommand {
  const run: SesameCommand['run'] = (args, input = '', environment = {}) =>
    start(args, input, { NODE_ENV: 'test', DATABASE_URL: databaseUrl(), ...environment });
  const runJson: SesameCommand['runJson'] = async (...args) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  return {
    run,
    runJson: runJson,
    runJsonList: async (...args) => (await runJson(...args)) as unknown as Record<string, unknown>[],
    runFailing: async (args, input, environment) => {
      const { code, stdout, stderr } = await run(args, input, environment);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).not.toMatch(/\n {4}at |node_modules|Error:/);
      expect(stderr.endsWith('\n')).toBe(true);
      return stderr;
    },
  };
}
