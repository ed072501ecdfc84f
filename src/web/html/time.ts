// Owns how a moment is marked up: its words, and for machines the moment itself.
import { type Html, html } from './html.ts';

export const time = (at: Date, words: string): Html =>
  html`<time datetime="${at.toISOString()}">${words}</time>`;
