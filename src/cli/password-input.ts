// The password of an account: from standard input, under the rules of the pages, or generated.
import { randomBytes } from 'node:crypto';
import { text as readAll } from 'node:stream/consumers';
import { judgePassword, PASSWORD_MAX, PASSWORD_MIN } from '../credentials/password-strength.ts';
import { CommandFault, type Context } from './context.ts';

/**
 * Reads all of the input; a line end after the password is none of it.
 * @param about what a password must not be made of
 * @throws CommandFault that says what is wrong with it
 */
async function readPassword({ input }: Context, about: string[]): Promise<string> {
  const password = (await readAll(input)).replace(/\r?\n$/, '');
  const { fault } = await judgePassword(password, about);
  const words = {
    tooShort: `is shorter than ${PASSWORD_MIN} characters`,
    tooLong: `is longer than ${PASSWORD_MAX} characters`,
    personal: 'is made of the name or the address of the account',
    easy: 'is too easy to guess',
  };
  if (fault !== undefined) throw new CommandFault(`The password ${words[fault]}.`);
  return password;
}

/** @returns its hash, and a generated password, which is shown once. @throws CommandFault */
export async function choosePassword(
  context: Context,
  { passwordStdin }: { passwordStdin?: boolean },
  about: string[],
): Promise<{ hash: string; shown: { password?: string } }> {
  const given = passwordStdin ? await readPassword(context, about) : undefined;
  const password = given ?? randomBytes(15).toString('base64url');
  const hash = await (await context.hasher()).hash(password);
  return { hash, shown: given === undefined ? { password } : {} };
}
