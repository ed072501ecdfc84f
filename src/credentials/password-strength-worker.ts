// Works out how soon a password is guessed, and by how much of it, on a thread of its own: it takes milliseconds, and 85 MB while
// it runs.
import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { dictionary as common, adjacencyGraphs as graphs } from '@zxcvbn-ts/language-common';
import { dictionary as english } from '@zxcvbn-ts/language-en';
import { dictionary as french } from '@zxcvbn-ts/language-fr';
import type { Answer, Question } from './password-strength.ts';

/**
 * Characters that are looked at, and spellings with digits for letters that are tried: the time grows with both. What is
 * hard to guess by its first 40 characters stays so with more.
 */
const LONGEST = 40;
const SPELLINGS = 8;

const checker = new ZxcvbnFactory({
  dictionary: {
    common: common['passwords-common'],
    frenchWords: french['commonWords-fr'],
    frenchNames: french['firstnames-fr'],
    englishWords: english['commonWords-en'],
    englishNames: english['firstnames-en'],
  },
  graphs,
  l33tMaxSubstitutions: SPELLINGS,
});

parentPort?.on('message', ({ id, password, about }: Question) => {
  const result = checker.check([...password].slice(0, LONGEST).join(''), about);
  const isPersonal = result.sequence.some(({ dictionaryName }) => dictionaryName === 'userInputs');
  const answer: Answer = { id, score: result.score, weakness: isPersonal ? 'personal' : 'easy' };
  parentPort?.postMessage(answer);
});
