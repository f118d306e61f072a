const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/** A whole number with its thousands apart. */
export const count = (value: number) => whole.format(value);

/** Three significant digits are more than a noisy machine gives away. */
export const rate = (value: number) => whole.format(Number(value.toPrecision(3)));

export const milliseconds = (value: number) => (value < 10 ? value.toFixed(2) : value.toFixed(0));

export const seconds = (value: number) => `${value.toFixed(1)} s`;

/** How many times something is something else, at two digits. */
export const times = (ratio: number) => `${ratio < 10 ? Number(ratio.toPrecision(2)) : rate(ratio)} ×`;

export const percent = (part: number) => `${whole.format(part * 100)} %`;

/** A small part, to a tenth of a percent. */
export const tenths = (part: number) => `${(part * 100).toFixed(1)} %`;

export const kilobytes = (bytes: number) => (bytes / 1024).toFixed(1);

export const megabytes = (value: number) => `${whole.format(value)} MB`;
