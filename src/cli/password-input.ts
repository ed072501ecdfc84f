// A password from standard input, held to the rules that a page holds it to.
import { text as readAll } from 'node:stream/consumers';
import { judgePassword, PASSWORD_MAX, PASSWORD_MIN } from '../credentials/password-strength.ts';
import { CommandFault, type Context } from './context.ts';

/**
 * Reads all of the input; a line end after the password is none of it.
 * @param about what a password must not be made of
 * @throws CommandFault that says what is wrong with it
 */
export async function readPassword({ input }: Context, about: string[]): Promise<string> {
  const password = (await readAll(input)).replace(/\r?\n$/, '');
  const { fault } = await judgePassword(password, about);
  const words = {
    tooShort: `is shorter than ${PASSWORD_MIN} characters`,
    tooLong: `is longer than ${PASSWORD_MAX} characters`,
    common: 'is one of the commonest there are',
    personal: 'is made of the name or the address of the account',
    repeated: 'repeats the same characters',
    row: 'is made of characters that follow each other',
    easy: 'is too easy to guess',
  };
  if (fault !== undefined) throw new CommandFault(`The password ${words[fault]}.`);
  return password;
}
