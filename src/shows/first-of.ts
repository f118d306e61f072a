/** The first number below `end` that `isFar` is true of, or `end`. It has to be true of all that follow one that it is true of. */
export function firstOf(end: number, isFar: (number: number) => boolean): number {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isFar(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
