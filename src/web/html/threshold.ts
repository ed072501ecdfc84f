// Owns the picture beside narrow pages: a door whose light says where the person stands.
// Closed on an error, ajar at sign-in, open once inside; the stylesheet moves the light, nothing here does.
import { html } from './html.ts';

/** Decoration only: hidden from assistive technology, absent on small screens and wide pages. */
export const threshold = html`<div class="threshold" aria-hidden="true">
<svg viewBox="0 -120 480 760" preserveAspectRatio="xMidYMax meet" focusable="false">
<g class="threshold-seeds">
<path d="M84 150c7 9 10 16 10 22a10 10 0 0 1-20 0c0-6 3-13 10-22z"/>
<path d="M402 92c5 7 8 12 8 17a8 8 0 0 1-16 0c0-5 3-10 8-17z"/>
<path d="M432 286c6 8 9 14 9 19a9 9 0 0 1-18 0c0-5 3-11 9-19z"/>
<path d="M46 338c4 6 6 10 6 14a6 6 0 0 1-12 0c0-4 2-8 6-14z"/>
<path d="M128 66c4 6 6 10 6 14a6 6 0 0 1-12 0c0-4 2-8 6-14z"/>
</g>
<path class="threshold-frame" d="M240 84C318 126 366 180 366 250v254H114V250c0-70 48-124 126-166z"/>
<path class="threshold-leaves" d="M240 100C310 139 352 188 352 252v252H128V252c0-64 42-113 112-152z"/>
<path class="threshold-panels" d="M150 268h62v96h-62zM150 386h62v96h-62zM268 268h62v96h-62zM268 386h62v96h-62z"/>
<g class="threshold-beam">
<linearGradient id="threshold-fade" x1="0" y1="0" x2="0" y2="1"><stop offset="0"/><stop offset="1" stop-opacity="0"/></linearGradient>
<path fill="url(#threshold-fade)" d="M156 504h168l132 136H24z"/>
</g>
<path class="threshold-light" d="M240 100c58 46 84 100 84 164v240H156V264c0-64 26-118 84-164z"/>
</svg>
</div>`;
