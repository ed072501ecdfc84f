// Worker thread that estimates password strength. The thread uses 85 MB of memory.
import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { dictionary as common, adjacencyGraphs as graphs } from '@zxcvbn-ts/language-common';
import { dictionary as english } from '@zxcvbn-ts/language-en';
import { dictionary as french } from '@zxcvbn-ts/language-fr';
import type { StrengthRequest, StrengthResponse } from './password-strength.ts';

/** Further characters would take time and could only raise the score. */
const MAX_CHECKED_LENGTH = 40;
const MAX_SUBSTITUTIONS = 8;

const checker = new ZxcvbnFactory({
  dictionary: {
    common: common['passwords-common'],
    frenchWords: french['commonWords-fr'],
    frenchNames: french['firstnames-fr'],
    englishWords: english['commonWords-en'],
    englishNames: english['firstnames-en'],
  },
  graphs,
  l33tMaxSubstitutions: MAX_SUBSTITUTIONS,
});

parentPort?.on('message', ({ id, password, userWords }: StrengthRequest) => {
  const result = checker.check([...password].slice(0, MAX_CHECKED_LENGTH).join(''), userWords);
  const isPersonal = result.sequence.some(({ dictionaryName }) => dictionaryName === 'userInputs');
  const response: StrengthResponse = { id, score: result.score, weakness: isPersonal ? 'personal' : 'easy' };
  parentPort?.postMessage(response);
});
