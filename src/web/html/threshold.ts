// Owns the picture beside narrow pages: a door whose leaves say where the person stands.
// Closed on an error, ajar at sign-in, open once inside; the stylesheet moves the leaves, nothing here does.
import { html } from './html.ts';

/** The left one, shut. It reaches beyond the arch, which cuts it: no light shows along its frame. */
const leaf = html`<path d="M110 60h130v444H110z"/>
<path class="threshold-panels" d="M148 386h72v96h-72zM148 262h72v104h-72zM220 148v94h-72c2-38 28-68 72-94z"/>
<path class="threshold-edge" d="M235 60h5v444h-5z"/>
<circle class="threshold-edge" cx="228" cy="376" r="4.5"/>`;

/** Decoration only: hidden from assistive technology, absent on small screens and wide pages. */
export const threshold = html`<div class="threshold" aria-hidden="true">
<svg viewBox="40 -120 400 760" preserveAspectRatio="xMidYMax meet" focusable="false">
<clipPath id="threshold-arch"><path d="M240 100C310 139 352 188 352 252v252H128V252c0-64 42-113 112-152z"/></clipPath>
<linearGradient id="threshold-fade" x1="0" y1="0" x2="0" y2="1"><stop offset="0"/><stop offset="1" stop-opacity="0"/></linearGradient>
<radialGradient id="threshold-halo"><stop offset="0"/><stop offset="1" stop-opacity="0"/></radialGradient>
<circle class="threshold-glow" cx="240" cy="330" r="310" fill="url(#threshold-halo)"/>
<path class="threshold-beam" fill="url(#threshold-fade)" d="M145 496h190l80 144H65z"/>
<path class="threshold-frame" d="M240 84C318 126 366 180 366 250v254h14v8H100v-8h14V250c0-70 48-124 126-166z"/>
<g clip-path="url(#threshold-arch)">
<path class="threshold-light" d="M128 100h224v403H128z"/>
<g class="threshold-leaf">${leaf}</g>
<g transform="matrix(-1 0 0 1 480 0)"><g class="threshold-leaf">${leaf}</g></g>
</g>
</svg>
</div>`;
