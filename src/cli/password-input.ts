// Reads a password from standard input and validates it, or generates a password.
import { randomBytes } from 'node:crypto';
import { text as readAll } from 'node:stream/consumers';
import {
  assessPassword,
  MAX_PASSWORD_LENGTH,
  MIN_PASSWORD_LENGTH,
} from '../credentials/password-strength.ts';
import { CommandError, type Context } from './context.ts';

async function readPassword({ input }: Context, personalData: string[]): Promise<string> {
  const password = (await readAll(input)).replace(/\r?\n$/, '');
  const { error: weakness } = await assessPassword(password, personalData);
  const problems = {
    tooShort: `is shorter than ${MIN_PASSWORD_LENGTH} characters`,
    tooLong: `is longer than ${MAX_PASSWORD_LENGTH} characters`,
    personal: "consists only of the account's name or email address",
    easy: 'is too easy to guess',
  };
  if (weakness !== undefined) throw new CommandError(`The password ${problems[weakness]}.`);
  return password;
}

/** @returns the hash and, for a generated password, the password itself */
export async function readOrGeneratePassword(
  context: Context,
  { passwordStdin }: { passwordStdin?: boolean },
  personalData: string[],
): Promise<{ hash: string; output: { password?: string } }> {
  const entered = passwordStdin ? await readPassword(context, personalData) : undefined;
  const password = entered ?? randomBytes(15).toString('base64url');
  const hash = await (await context.hasher()).hash(password);
  return { hash, output: entered === undefined ? { password } : {} };
}
