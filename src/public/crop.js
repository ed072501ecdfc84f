// Crops a selected picture to a square before the upload.
// Without this script, the server crops the picture.

/** Pixels. High-density screens need twice the largest displayed size. */
const SIZE = 512;
const MAX_ZOOM = 4;

const cropTool = document.querySelector('[data-crop]');
const canvas = cropTool.querySelector('canvas');
const [zoom, horizontal, vertical] = cropTool.querySelectorAll('input');
const fileInput = document.getElementById(cropTool.dataset.crop);
const { form } = fileInput;

let picture;
let isCropped = false;

/** Side length of the visible square, in pixels of the original picture. */
const visibleSide = () => Math.min(picture.width, picture.height) / zoom.value;

function draw() {
  const length = visibleSide();
  const room = { x: picture.width - length, y: picture.height - length };
  horizontal.disabled = room.x < 1;
  vertical.disabled = room.y < 1;
  const context = canvas.getContext('2d');
  context.clearRect(0, 0, SIZE, SIZE);
  context.imageSmoothingQuality = 'high';
  const left = (room.x * horizontal.value) / 100;
  const top = (room.y * vertical.value) / 100;
  context.drawImage(picture, left, top, length, length, 0, 0, SIZE, SIZE);
}

async function loadPicture() {
  const [file] = fileInput.files;
  picture?.close();
  picture = undefined;
  isCropped = false;
  try {
    picture = file && (await createImageBitmap(file));
  } catch {
    // The file isn't a picture, so the server will reject it.
  }
  cropTool.hidden = picture === undefined;
  if (picture === undefined) return;
  Object.assign(zoom, { min: 1, max: MAX_ZOOM, step: 0.05, value: 1 });
  for (const slider of [horizontal, vertical]) slider.value = 50;
  draw();
}

function drag({ movementX, movementY, buttons }) {
  if (buttons !== 1) return;
  const scale = visibleSide() / canvas.clientWidth;
  for (const [slider, movement, size] of [
    [horizontal, movementX, picture.width],
    [vertical, movementY, picture.height],
  ])
    if (!slider.disabled) slider.value -= (movement * scale * 100) / (size - visibleSide());
  draw();
}

fileInput.addEventListener('change', loadPicture);
for (const slider of [zoom, horizontal, vertical]) slider.addEventListener('input', draw);
canvas.addEventListener('pointerdown', ({ pointerId }) => canvas.setPointerCapture(pointerId));
canvas.addEventListener('pointermove', drag);

form.addEventListener('submit', (event) => {
  // There is nothing to crop, or the user pressed the button that removes the picture.
  if (picture === undefined || isCropped || event.submitter?.name) return;
  event.preventDefault();
  canvas.toBlob((blob) => {
    const files = new DataTransfer();
    files.items.add(new File([blob], 'picture.png', { type: 'image/png' }));
    fileInput.files = files.files;
    isCropped = true;
    form.requestSubmit(event.submitter);
  }, 'image/png');
});

// The browser may restore the selected file when the user goes back.
addEventListener('pageshow', loadPicture);
