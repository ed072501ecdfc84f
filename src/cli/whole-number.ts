// What an option takes that is a count or a number of seconds.
import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError, which commander says in words with the option's name */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}
