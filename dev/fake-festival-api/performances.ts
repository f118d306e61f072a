import { YEAR } from "../../src/domain/programme.ts";
import type { Performance } from "./event.ts";
import type { Random } from "./random.ts";

export interface Run {
  /** Days of August. */
  days: number[];
  /** Minutes after midnight. */
  starts: number[];
  /** Minutes. */
  duration: number;
}

const LAST_DAY = 25;
const earliestStart: Readonly<Record<string, number>> = {
  "Children's Shows": 10,
  Exhibitions: 10,
  Events: 10,
  Comedy: 12,
  "Cabaret and Variety": 15,
};
const latestStart: Readonly<Record<string, number>> = {
  "Children's Shows": 15,
  Exhibitions: 11,
  Events: 20,
  "Spoken Word": 21,
  Music: 22,
};

/** Between 1 and 25 August: all days except one, a part of them, or a few nights. */
export function inventRun(genre: string, random: Random): Run {
  const hour = random.int(earliestStart[genre] ?? 10, latestStart[genre] ?? 23);
  const start = hour * 60 + random.pick([0, 5, 10, 15, 20, 30, 40, 45, 50]);
  return {
    days: inventDays(random),
    starts: random.chance(0.02) ? [Math.max(600, start - 180), start] : [start],
    duration:
      genre === "Exhibitions"
        ? random.pick([360, 420, 480])
        : random.pick([45, 50, 50, 55, 60, 60, 60, 60, 65, 70, 75, 90]),
  };
}

function inventDays(random: Random): number[] {
  const length = random.weighted([
    [() => random.int(23, LAST_DAY), 40],
    [() => random.int(9, 14), 25],
    [() => random.int(4, 7), 16],
    [() => random.int(1, 3), 13],
  ])();
  const first = random.int(1, LAST_DAY - length + 1);
  const dayOff = length > 14 ? random.int(11, 13) : 0;
  return Array.from({ length }, (_, index) => first + index).filter((day) => day !== dayOff);
}

/** In chronological order. */
export function inventPerformances({ days, starts, duration }: Run, random: Random): Performance[] {
  const price = random.weighted<number>([
    [0, 12],
    [random.int(5, 9), 20],
    [random.int(10, 16), 55],
    [random.int(17, 26), 13],
  ]);
  return days.flatMap((day) =>
    starts.map((start) => {
      const paid = day <= 2 && price > 6 ? price - 3 : price;
      return {
        id: Math.floor(random.next() * 36 ** 7)
          .toString(36)
          .padStart(7, "0"),
        type: "in-person" as const,
        start: localTime(day, start),
        end: localTime(day, start + duration),
        title: day <= 2 ? "Preview" : price > 6 && (day === 11 || day === 12) ? "2 for 1" : null,
        price: paid,
        price_type: paid > 0 ? ("paid" as const) : ("free" as const),
        price_string: paid > 0 ? `£${paid}` : "Free",
        is_at_fixed_time: duration < 360,
        duration_minutes: duration,
        accessibility: [],
        concession: paid > 8 ? paid - 2 : null,
        concession_family: null,
        concession_additional: null,
      };
    }),
  );
}

/** Minutes past midnight may lead to the next day. */
function localTime(day: number, minutes: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const within = minutes % 1440;
  return `${YEAR}-08-${two(day + Math.floor(minutes / 1440))} ${two(Math.floor(within / 60))}:${two(within % 60)}:00`;
}
