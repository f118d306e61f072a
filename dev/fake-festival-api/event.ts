/** Nearly every value may be null, and keys may be missing, as in real records. */
export interface FestivalEvent {
  /** 40 hexadecimal digits. Without it, the last segment of `url` is the id. */
  id?: string;
  festival_id: string;
  title: string;
  sub_title?: string | null;
  status: "active" | "cancelled" | "deleted";
  code: string;
  year: number | string;
  venue?: FestivalVenue | null;
  performances: Performance[];
  performance_space?: PerformanceSpace;
  sub_venue?: string | null;
  /** Comma-joined, such as `Strong language/swearing, Audience participation`. */
  warnings?: string | null;
  fringe_first?: null;
  /** Plain text or HTML. */
  description?: string | null;
  description_teaser?: string | null;
  artist?: string | null;
  artist_type?: string | null;
  genre?: string | null;
  /** Comma-joined. */
  genre_tags?: string | null;
  categories?: { strand_titles: string[]; subjects: string[]; keywords: string[] };
  discounts?: Record<string, null>;
  disabled?: Record<string, boolean | string | null>;
  age_category?: string | null;
  website?: string | null;
  images?: Record<string, never>;
  twitter?: string | null;
  country?: string | null;
  performers_number?: number | null;
  non_english?: boolean | null;
  related_content?: { url: string }[];
  festival: string;
  /** The API's own link, never a page for visitors. */
  url: string;
  /** When the record last changed, `2025-07-03 11:04:24`, Europe/London. */
  updated?: string;
  /** When each part of the record last changed, in seconds since 1970. */
  update_times?: Record<string, number>;
  latitude?: number | null;
  longitude?: number | null;
}

export interface FestivalVenue {
  id?: string;
  name: string;
  map_ref: null;
  code: string;
  description: string | null;
  address: string;
  post_code: string;
  phone: string | null;
  fax: null;
  email: string | null;
  disabled_description: string | null;
  has_booking_over_phone: null;
  has_booking_over_card: null;
  has_booking_over_web: null;
  box_office_opening: null;
  box_office_fringe: null;
  has_bar: boolean | null;
  has_cafe: boolean | null;
  cafe_description: null;
  web_address: string | null;
  is_virtual: null;
  position: { lat: number; lon: number };
}

interface PerformanceSpace {
  name: string;
  capacity: number | null;
  wheelchair_access: boolean;
  age_limited: boolean;
  age_limit: string | null;
}

/** One performance. Times are Europe/London without a zone: `2025-08-06 15:45:00`. */
export interface Performance {
  id: string;
  type: "in-person";
  start: string;
  end: string;
  title: string | null;
  /** In pounds. */
  price: number;
  price_type: "paid" | "free";
  price_string: string;
  is_at_fixed_time: boolean;
  duration_minutes: number;
  accessibility: string[];
  concession: number | null;
  concession_family: null;
  concession_additional: null;
}
