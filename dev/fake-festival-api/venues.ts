import { createHash } from "node:crypto";
import type { FestivalVenue } from "./event.ts";
import { expand } from "./grammar.ts";
import type { Random } from "./random.ts";
import { vocabulary } from "./vocabulary.ts";
import { venueNames } from "./words/places.ts";

/** 40 hexadecimal digits, the same for the same text. */
export function festivalId(of: string): string {
  return createHash("sha1").update(of).digest("hex");
}

/** With distinct names. */
export function inventVenues(count: number, random: Random): FestivalVenue[] {
  const names = new Set<string>();
  while (names.size < count) names.add(expand(random.pick(venueNames), vocabulary, random));
  return [...names].map((name, index) => inventVenue(name, index, random));
}

function inventVenue(name: string, index: number, random: Random): FestivalVenue {
  return {
    id: festivalId(`venue ${index} ${name}`),
    name: random.chance(0.3) ? name.replace(" & ", " &amp; ") : name,
    map_ref: null,
    code: String(index + 1),
    description: random.chance(0.3)
      ? expand("{A adj} room up {number} flights of stairs, with {food}.", vocabulary, random)
      : null,
    address: `${random.int(1, 140)} ${expand("{street}", vocabulary, random)}, Edinburgh`,
    post_code: `EH${random.int(1, 12)} ${random.int(1, 9)}${random.pick([..."ABDEFGHJ"])}${random.pick([..."LNPQRSTU"])}`,
    // Numbers that the regulator reserves for drama, and a reserved domain.
    phone: random.chance(0.6) ? `0131 496 0${String(index).padStart(3, "0")}` : null,
    fax: null,
    email: random.chance(0.3) ? `venue${index + 1}@venues.example` : null,
    disabled_description: random.chance(0.3)
      ? "Level access at the side door; please ask the front of house team."
      : null,
    has_booking_over_phone: null,
    has_booking_over_card: null,
    has_booking_over_web: null,
    box_office_opening: null,
    box_office_fringe: null,
    has_bar: random.pick([true, false, null]),
    has_cafe: random.pick([true, false, null]),
    cafe_description: null,
    web_address: random.chance(0.5) ? `https://venue${index + 1}.example/` : null,
    is_virtual: null,
    position: { lat: degrees(55.93 + random.next() * 0.05), lon: degrees(-3.24 + random.next() * 0.09) },
  };
}

const degrees = (value: number) => Number(value.toFixed(6));
